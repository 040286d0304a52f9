"""How a server may answer: well, badly, or not at all."""

from __future__ import annotations


def file(content, *, claimed=None, status=200):
    """Answer with this content; `claimed` is the length that the headers promise."""

    def answer(request):
        request.send_response(status)
        request.send_header("Content-Length", str(len(content) if claimed is None else claimed))
        request.end_headers()
        request.wfile.write(content)

    return answer


def redirect(to, status=302):
    def answer(request):
        request.send_response(status)
        request.send_header("Location", to)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return answer


def error(status):
    return lambda request: request.send_error(status)


def silence(request):
    """Take the request and never answer."""
    request.server.stopping.wait(10)


def drip(request):
    """Send a byte at a time, for ever."""
    request.send_response(200)
    request.end_headers()
    while not request.server.stopping.wait(0.02):
        request.wfile.write(b"x")


def half_a_chunk(request):
    request.protocol_version = "HTTP/1.1"
    request.send_response(200)
    request.send_header("Transfer-Encoding", "chunked")
    request.end_headers()
    request.wfile.write(b"ff\r\nonly a part")
    request.close_connection = True


def babble(request):
    request.wfile.write(b"this is not HTTP\r\n\r\n")

"""Fingerprints against the standard library's own hashes, and the key that stays where it is."""

from __future__ import annotations

import copy
import hashlib
import hmac
import pickle
import stat

import pytest

from microagg.errors import InputError
from microagg.fingerprints import Fingerprints, key_in, key_kept_in, keyed

DIGEST, RELEASED = hashlib.sha256(b"given").digest(), hashlib.sha256(b"released").digest()
KEY = bytes(range(32))


def test_the_inputs_is_keyed_and_the_outputs_is_not():
    prints = Fingerprints.of(DIGEST, RELEASED)
    assert prints.output == hashlib.sha256(b"released").hexdigest()
    assert prints.input == hmac.new(prints.key, DIGEST, "sha256").hexdigest()
    assert prints.under(KEY) == keyed(DIGEST, KEY) == hmac.new(KEY, DIGEST, "sha256").hexdigest()
    assert len(prints.key) == 32
    assert Fingerprints.of(DIGEST, RELEASED).key != prints.key


@pytest.mark.parametrize("copied", [copy.copy, lambda one: pickle.loads(pickle.dumps(one))])
def test_nothing_by_which_the_input_could_be_guessed_is_shown_or_goes_along(copied):
    prints = Fingerprints.of(DIGEST, RELEASED)
    other = copied(prints)
    for secret in (prints.key, DIGEST):
        shown = repr(prints) + repr(other) + repr(vars(other))
        assert secret.hex() not in shown
        assert repr(secret)[2:-1] not in shown
        assert secret not in pickle.dumps(prints)
    assert (other.input, other.output) == (prints.input, prints.output)
    with pytest.raises(InputError, match="only where it was made"):
        other.under(KEY)


def test_a_key_is_made_for_its_owner_alone_and_then_used_again(tmp_path):
    path = tmp_path / "audit.key"
    assert key_kept_in(path, KEY) == KEY
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert key_kept_in(path, bytes(32)) == key_in(path) == KEY
    assert keyed(DIGEST, path) == keyed(DIGEST, KEY)
    assert [file.name for file in tmp_path.iterdir()] == ["audit.key"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("no key", "audit.key holds no key: expected 64 hexadecimal digits"),
        ("é", "audit.key holds no key: expected 64 hexadecimal digits"),
        ("", "audit.key holds 0 hexadecimal digits: a key has 64"),
        ("00" * 31, "audit.key holds 62 hexadecimal digits: a key has 64"),
        (None, "audit.key cannot be read: No such file or directory"),
    ],
)
def test_what_is_no_key_is_told(tmp_path, content, told):
    path = tmp_path / "audit.key"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        key_in(path)
    assert str(caught.value).endswith(told)


def test_a_key_that_cannot_be_kept_is_told(tmp_path):
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        key_kept_in(tmp_path / "absent" / "audit.key", KEY)
    with pytest.raises(InputError, match="there is no key to keep"):
        key_kept_in(tmp_path / "audit.key", b"")

"""What the paper on dependence trees prints of Tarragona and Census, for k = 3: losses by columns.

Columns are numbered from 1. The rows for one, two, four and five variables are no targets: those for one and
two are met by no reading of the paper, and those for four and five repeat those for three.
"""

from __future__ import annotations

AVERAGE = {"tarragona": 25.1587, "census": 21.2046}  # table 4, of all triples
LEAST = {"tarragona": ((2, 3, 10), 20.7141), "census": ((7, 8, 10), 15.6043)}
MOST = {"tarragona": ((5, 6, 11), 34.1569), "census": ((1, 8, 9), 45.815)}

CHOSEN = {  # set, measure, width: the choices and their losses; tables 5, 7 and 8
    ("tarragona", "emim", 50_000): {
        (7, 4, 1): 24.1333,
        (7, 4, 10): 24.1881,
        (7, 4, 2): 25.0465,
        (7, 4, 12): 25.6574,
        (7, 4, 6): 25.6826,
    },
    ("tarragona", "emim", 100_000): {(7, 4, 1): 24.1333, (7, 4, 2): 25.0465, (7, 4, 12): 25.6574},
    ("tarragona", "emim", 150_000): {(7, 4, 2): 25.0465, (7, 4, 12): 25.6574},
    ("census", "emim", 1_000): {(1, 10, 7): 17.4700, (1, 10, 12): 25.3632},
    ("census", "emim", 5_000): {
        (2, 10, 8): 16.2332,
        (2, 10, 5): 17.3421,
        (2, 10, 1): 17.7012,
        (2, 10, 13): 21.0694,
        (2, 10, 7): 21.1128,
        (2, 10, 12): 21.5828,
    },
    ("census", "emim", 10_000): {(1, 2, 12): 18.2996},
    ("tarragona", "chi2", 50_000): {(7, 2, 12): 25.0923},
    ("tarragona", "chi2", 100_000): {(7, 1, 12): 24.8137},
    ("tarragona", "chi2", 150_000): {(7, 4, 12): 25.6574},
    ("census", "chi2", 1_000): {(1, 10, 7): 17.4700, (1, 10, 12): 25.3632},
    ("census", "chi2", 5_000): {
        (10, 2, 8): 16.2322,
        (5, 8, 2): 17.0012,
        (10, 5, 2): 17.3421,
        (10, 5, 8): 22.5430,
    },
    ("census", "chi2", 10_000): {
        (1, 5, 8): 18.1627,
        (1, 8, 12): 18.8725,
        (1, 5, 12): 20.2778,
        (5, 8, 12): 21.9324,
    },
    ("tarragona", "correlation", None): {
        (2, 4, 10): 23.1068,
        (2, 4, 1): 24.9648,
        (2, 4, 7): 25.0465,
        (2, 4, 12): 25.9818,
        (2, 4, 6): 26.0992,
    },
    ("census", "correlation", None): {
        (4, 10, 5): 16.3416,
        (4, 10, 9): 16.8352,
        (4, 10, 6): 19.6712,
        (4, 10, 7): 20.2959,
        (4, 10, 12): 20.9725,
    },
}

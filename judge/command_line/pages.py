"""The page of the documentation that tells more of each command than its --help."""

OVERVIEW = "README.md"
# As paths from the repository's root: who has installed a wheel finds them there too.
PAGES = {
    "play": "docs/players.md",
    "match": "docs/matches.md",
    "sprt": "docs/matches.md",
    "batch": "docs/matches.md",
    "check": "docs/submit.md",
    "human": "docs/bot.md",
    "replay": "docs/records.md",
    "repro": "docs/losses.md",
    "elo": "docs/matches.md",
    "llr": "docs/matches.md",
    "doctor": "docs/install.md",
    "completion": "docs/install.md",
}

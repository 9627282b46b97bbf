"""Words that pet names are made of: adverbs, adjectives, animals."""

from __future__ import annotations

from typing import Final

ADVERBS: Final = (
    "barely", "boldly", "briefly", "brightly", "calmly", "clearly", "deeply", "duly", "early", "easily", "evenly",
    "fairly", "firmly", "freely", "gently", "gladly", "highly", "kindly", "largely", "lightly", "mildly", "neatly",
    "openly", "plainly", "purely", "quietly", "rarely", "slowly", "softly", "steadily", "surely", "truly",
)  # fmt: skip
ADJECTIVES: Final = (
    "able", "amber", "brave", "brisk", "bright", "calm", "clever", "cosy", "dapper", "eager", "fair", "fleet", "gentle",
    "glad", "golden", "grand", "hardy", "honest", "humble", "jolly", "keen", "kind", "lively", "lucky", "merry",
    "modest", "nimble", "noble", "patient", "plucky", "polite", "proud", "quick", "quiet", "ready", "rosy", "sharp",
    "silver", "smart", "steady", "sturdy", "sunny", "swift", "tidy", "vivid", "warm", "wise", "witty",
)  # fmt: skip
ANIMALS: Final = (
    "badger", "beaver", "bison", "bobcat", "bream", "camel", "carp", "cod", "condor", "crane", "cricket", "curlew",
    "deer", "dingo", "dolphin", "donkey", "eagle", "egret", "falcon", "ferret", "finch", "gecko", "gibbon", "goose",
    "grouse", "hare", "hawk", "heron", "ibex", "impala", "jackal", "kestrel", "kiwi", "koala", "lark", "lemur", "lynx",
    "magpie", "marmot", "marten", "mole", "moose", "newt", "ocelot", "osprey", "otter", "owl", "panda", "perch",
    "pigeon", "plover", "puffin", "quail", "rabbit", "raven", "robin", "salmon", "seal", "shrew", "sparrow", "stork",
    "swan", "tapir", "tern", "tiger", "toad", "trout", "turtle", "viper", "vole", "walrus", "weasel", "wombat", "wren",
    "yak", "zebra",
)  # fmt: skip

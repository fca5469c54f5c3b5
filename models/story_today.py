"""A modern story model: Llama's architecture with a single key head, trained on the stories of notebook 08."""

from helpers.today import TodayConfig, TodayDecoder
from models import stories, story_model
from models.training import load_trained, seeded

FILE = story_model.FILE.with_name("today.safetensors")
SHA256 = "db0e47f0062d2be9de1b613b9a859343ae642e106c59d9b7a51183257f4ac280"
CONFIG = TodayConfig(vocab_size=len(stories.WORDS), groups=1)


def new_model(seed):
    """Make an untrained model; the global random state does not change.

    Shapes: -> TodayDecoder
    Source: notebook 10
    """
    return seeded(seed, lambda: TodayDecoder(CONFIG))


def load():
    """Load the trained model, after verifying its file.

    Errors: FileNotFoundError if the file is missing; ValueError if it is not the one that was trained
    Source: notebook 10; `python -m tools.train_stories --positions today`
    """
    return load_trained(TodayDecoder(CONFIG), FILE, SHA256, "the story model of today")

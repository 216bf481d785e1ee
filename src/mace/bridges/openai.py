"""An OpenAI client whose chat calls are recorded.

from mace.bridges.openai import wrap

client = wrap(openai.OpenAI())
"""

from mace.interfaces.bridges.openai import ChatFailed, Outside, wrap

__all__ = ["ChatFailed", "Outside", "wrap"]

"""Experience: asking, catching up, dreaming."""

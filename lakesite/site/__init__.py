"""The site: what must be built, building it, and writing it so that a half-finished build never shows."""

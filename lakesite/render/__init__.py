"""Turns masked texts and page data into HTML. Nothing outside this package may make `Markup`."""

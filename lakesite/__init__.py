"""Turns records of AI-agent work into a website that people can trust, share and search by double-click."""

__version__ = "0.1.0"

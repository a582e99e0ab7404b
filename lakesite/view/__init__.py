"""From resolved documents to what templates see: every decision about a page is made here."""

"""Search without a server: what pages say is indexed while they are written; a script in the site looks it up."""

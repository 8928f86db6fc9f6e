"""The command line: joins the parts. One module a command, imported when that command runs."""

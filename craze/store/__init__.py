"""DISK: one folder a session - journal, wire capture, `session.json` - and all that reads them back.

Knows no agent and no engine: what it takes are bytes, small Protocols and folders. Import from the modules;
`craze.store.bulk` and `craze.store.lines` stay light on purpose, since `craze dump` starts with them.
"""

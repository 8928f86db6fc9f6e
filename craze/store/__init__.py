"""DISK: one folder a session - journal, wire capture, `session.json` - and all that reads them back.

Knows no agent and no engine: what it takes are bytes, small Protocols and folders.

| module | owns |
|---|---|
| `folder` | session folders: names, lock, finding by id, removing |
| `writer` | the one thread that appends lines, its queue and what a failing disk means |
| `lines`, `journal`, `memory` | the form of journal lines; the engine's `Log` on disk, and in memory |
| `chunks`, `bulk`, `reader`, `history` | whole lines of a file; event bodies undecoded; the items of one journal; a session's journals as one |
| `numbering`, `incarnation` | which numbers were given; what the next journal continues |
| `stored`, `session_file` | what `session.json` says; the engine's `Keep`, reading and renaming |
| `wire`, `capture`, `capture_show`, `scrub` | writing a capture; reading one, of any make; showing rows; making one that can be shared |
| `source`, `recording` | what a person named, decided by its first line; its items |
| `transcript`, `search`, `export`, `redact` | history as blocks; matches; documents; without secrets |
| `evidence`, `check` | what a recorded run shows; expectations about it |
| `prune`, `prompts` | what goes; what was typed before |

Import from the modules: `bulk`, `lines` and `source` stay light on purpose, since `craze dump` starts with them.
"""

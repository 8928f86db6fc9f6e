"""The composer: the editor, its menus, history, chips and shell mode."""

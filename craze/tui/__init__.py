"""The screen: draws one session and turns keys into intents; the only package that knows Textual."""

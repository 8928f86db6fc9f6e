from textual.content import Content
from textual.widget import Widget
class TranscriptView(Widget, can_focus=True):
    def __init__(self, **kw):
        super().__init__(); self.lines=[]
    def fold(self, records):
        for r in records:
            e=r.event
            if e.type=="text": 
                if self.lines: self.lines[-1]+=e.text
                else: self.lines.append(e.text)
            elif e.type=="turn" and e.turn.phase=="started": self.lines+= ["› "+e.turn.text,""]
            else: self.lines+= [f"[{e.type}]",""]
        self.refresh()
    def prepend(self, records): pass
    def restate(self, records): self.lines=[]; self.fold(records)
    def render(self):
        rows="\n".join(self.lines).split("\n")
        return Content("\n".join(rows[-self.size.height:]))

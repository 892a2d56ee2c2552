"""A Django form whose controls wear the studio's classes; `components/_field.html` draws its fields."""

from typing import Any

from django import forms

BARE = (forms.CheckboxInput, forms.RadioSelect, forms.CheckboxSelectMultiple, forms.HiddenInput)


class Form(forms.Form):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        for field in self.fields.values():
            if not isinstance(field.widget, BARE):
                field.widget.attrs.setdefault("class", "c-input")

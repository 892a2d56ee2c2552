"""What is wrong with a form or a document."""

from runtime.domain.errors import RuntimeFault


class FormRefused(RuntimeFault):
    """A form or an API document that no tool can be made of; `sentence` says what to change."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence

"""What rollouts use of the world: model connections, hosts that may be reached, and texts pinned by hash."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from studio.models.accounts import User
from studio.public_id import new_connection_id


class ModelConnection(models.Model):
    """A model under a name of this installation. The key is encrypted (Fernet) and never shown again.

    Prices are US dollars for a million tokens; None = unknown. `client`: `litellm`, or `native` for OpenAI's protocol.
    """

    public_id = models.CharField(max_length=32, unique=True, default=new_connection_id, editable=False)
    name = models.CharField(max_length=64, unique=True)
    litellm_model = models.CharField(max_length=200)
    address = models.CharField(max_length=500, blank=True)
    client = models.CharField(max_length=8, default="litellm")
    encrypted_key = models.BinaryField(default=bytes, blank=True)
    key_last4 = models.CharField(max_length=4, blank=True)
    context_window = models.PositiveIntegerField(null=True, blank=True)
    input_price_usd = models.FloatField(null=True, blank=True)
    output_price_usd = models.FloatField(null=True, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    check_result = models.CharField(max_length=500, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(client__in=["litellm", "native"]), name="client_is_known"),
            models.CheckConstraint(
                condition=Q(input_price_usd=None) | Q(input_price_usd__gte=0), name="input_price_is_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(output_price_usd=None) | Q(output_price_usd__gte=0), name="output_price_is_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class OutboundHost(models.Model):
    """A host and port outside the global internet that an administrator allowed to be reached."""

    host = models.CharField(max_length=253)
    port = models.PositiveIntegerField()
    note = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["host", "port"], name="outbound_host_once"),
            models.CheckConstraint(condition=Q(port__gte=1, port__lte=65535), name="outbound_port_is_a_port"),
        ]

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Pin(models.Model):
    """A text that trajectories name by its hash (tool lists)."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    text = models.TextField()

    def __str__(self) -> str:
        return self.sha256

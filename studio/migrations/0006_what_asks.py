"""What asks people is found by an index of its own."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("studio", "0005_people_and_agents"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="event",
            index=models.Index(condition=models.Q(("type", 52), ("type", 58), _connector="OR"), fields=["rollout"], name="event_that_asks"),
        ),
    ]

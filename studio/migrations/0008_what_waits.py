"""Questions to single people are found by an index of their own. It is no index that Django can say."""

from django.db import migrations

CREATE = """CREATE INDEX event_that_waits ON studio_event (rollout_id) WHERE type = 50 AND payload LIKE '%"waits":true%'"""


class Migration(migrations.Migration):
    dependencies = [("studio", "0007_workflows")]

    operations = [migrations.RunSQL(CREATE, "DROP INDEX event_that_waits")]

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("studio", "0014_sandbox_grants"),
    ]

    operations = [
        migrations.AddField(
            model_name="standinggrant",
            name="covers_taint",
            field=models.BooleanField(default=False),
        ),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("studio", "0013_session_shares"),
    ]

    operations = [
        migrations.AddField(
            model_name="standinggrant",
            name="covers_taint",
            field=models.BooleanField(default=False),
        ),
    ]

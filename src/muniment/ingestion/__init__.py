"""The write path, one file a step, in the data's order: redact -> receive -> extract -> govern -> commit -> project.

Belongs here: the steps and the pipeline that runs them in one transaction. Does not belong here: the rules themselves
(governance/), SQL (store/) and models (models/); all come through ports.
"""

"""The simulated Google Cloud: declared state machines that answer API calls as the real services do.

It sees API resources and API names, never the program's plan and never a provider's property names. Reading order:
`api.py` (what can be asked), `machines.py` (what a cluster and its nodes are made of, supplied by the caller),
`store.py` (the one state file), `operations.py` (long-running work), `service.py` (what each kind must know),
`cloud.py` (the services put together), then the services: `clusters.py`, `pools.py` with `pool_rules.py` (what GKE
refuses) and `groups.py` (machines), `networks.py`, `routing.py`, `access.py`, `filestore.py`, `storage.py`. `schema/`
holds the facts about the Pulumi packages whose calls arrive here.

Not modelled: quota, whether a reservation exists, enforcement of IAM and of enabled APIs, traffic. The user says what
is out of stock (`stock.py`).
"""

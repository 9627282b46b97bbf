"""A fraud-detection model that is trained dataset by dataset, by as many workers as there are.

    datasets on a share -> paths in a Redis list -> workers -> a chain of checkpoints, a report, a learning curve

Each fact is in one place. Redis says which dataset waits and who works on which (`workqueue.py`); if all of Redis is
lost, `queue` fills it again. The chain of checkpoints on the share says which datasets the model has seen (`chain.py`);
a dataset is done when its checkpoint is in the chain, whatever Redis says.

Read `worker.py` first: it is the loop. `table.py` reads a file of transactions and checks it, `model.py` learns from
it, `training.py` makes a checkpoint of both. `python -m payloads.fraud_detection --help` lists the commands. The
package needs its own `requirements.txt` and nothing else of this repository.
"""

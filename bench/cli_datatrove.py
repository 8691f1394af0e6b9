"""MinHash deduplication by datatrove, as bench/cli.sh times it: cli_datatrove.py FOLDER-WITH-JSONL WORK WORKERS

The steps of datatrove's own example: signatures, buckets, clusters. Shingles of five words, 14 buckets of 8 hashes, its defaults. Prints the
seconds by the clock and the processor seconds of all processes."""
import resource
import shutil
import sys
import time

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.utils.hashing import HashConfig


def main():
    folder, work, workers = sys.argv[1], sys.argv[2], int(sys.argv[3])
    shutil.rmtree(work, ignore_errors=True)
    config = MinhashConfig(hash_config=HashConfig(precision=64), num_buckets=14, hashes_per_bucket=8, n_grams=5)
    steps = [
        (workers, [JsonlReader(folder), MinhashDedupSignature(output_folder=f"{work}/signatures", config=config, skip_existing_sigs=False)]),
        (config.num_buckets, [MinhashDedupBuckets(input_folder=f"{work}/signatures", output_folder=f"{work}/buckets", config=config)]),
        (1, [MinhashDedupCluster(input_folder=f"{work}/buckets", output_folder=f"{work}/remove", config=config)]),
    ]
    start = time.time()
    for number, (tasks, pipeline) in enumerate(steps):
        LocalPipelineExecutor(pipeline=pipeline, tasks=tasks, workers=workers, logging_dir=f"{work}/log-{number}", skip_completed=False).run()
    wall = time.time() - start
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print("%.2f\t%.2f" % (wall, sum(u.ru_utime + u.ru_stime for u in used)))


if __name__ == "__main__":
    main()

"""All ways in which Python makes processes; prints what they did."""

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading


def work(n):
    return sum(i * i % 7 for i in range(n * 3000))


def fail(n):
    raise ValueError(n)


def pool(method):
    context = multiprocessing.get_context(method)
    with context.Pool(3) as workers:
        print(method, workers.map(work, range(12)))
        try:
            workers.apply(fail, (3,))
        except ValueError as e:
            print(method, "ValueError", e)
    queue = context.Queue()
    process = context.Process(target=queue.put, args=("through a queue",))
    process.start()
    print(queue.get())
    process.join()
    print(process.exitcode)


def commands():
    for args in (["true"], ["false"], ["sh", "-c", "exit 9"], ["sh", "-c", "kill -9 $$"]):
        print(args, subprocess.run(args).returncode)
    print(subprocess.check_output("seq 5 | tac", shell=True))
    one = subprocess.Popen(["seq", "1000"], stdout=subprocess.PIPE)
    two = subprocess.Popen(["grep", "-c", "9"], stdin=one.stdout, stdout=subprocess.PIPE)
    one.stdout.close()
    print(two.communicate(), one.wait(), two.returncode)
    try:
        subprocess.run(["/nonexistent"])
    except FileNotFoundError as e:
        print(e)
    print(os.system("exit 3"), os.popen("echo popen").read())
    pid = os.posix_spawn("/bin/echo", ["echo", "spawned"], os.environ)
    print(os.waitpid(pid, 0)[1])
    pid = os.fork()
    if pid == 0:
        os._exit(work(1) % 100)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def threads():
    results = [None] * 8

    def run(i):
        results[i] = subprocess.check_output(["sh", "-c", f"echo {i}; exit 0"])

    all_threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for t in all_threads:
        t.start()
    for t in all_threads:
        t.join()
    print(results)


async def together():
    async def one(n):
        process = await asyncio.create_subprocess_exec("sh", "-c", f"echo {n}; exit {n}", stdout=subprocess.PIPE)
        out, _ = await process.communicate()
        return out, process.returncode

    print(await asyncio.gather(*(one(n) for n in range(6))))


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    commands()
    threads()
    pool("fork")
    pool("spawn")
    asyncio.run(together())
    sys.exit(17)

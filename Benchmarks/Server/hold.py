#!/usr/bin/env python3
"""hold.py PORT: a server for idle connections. GET /hold/N is answered when N such requests wait, all at once, so that a
client must have N connections; they stay open."""
import asyncio
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


async def main():
    waiting = []

    async def serve(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                count = int(head.split(b" ", 2)[1].rsplit(b"/", 1)[1])
                waiting.append(writer)
                if len(waiting) >= count:
                    for one in waiting:
                        one.write(ANSWER)
                    waiting.clear()
        except (asyncio.IncompleteReadError, ConnectionError, ValueError, IndexError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=16384)
    async with server:
        await server.serve_forever()


asyncio.run(main())

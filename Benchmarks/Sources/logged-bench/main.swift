// `logged-bench MODE URL N C`: N GETs, C at once, by a client whose calls a log keeps (MODE logged,
// or logged-bodies). MODE observed has an observer that does nothing.

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
import Tsubame
import TsubameInspector

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 4, let count = Int(arguments[2]), let concurrency = Int(arguments[3]), concurrency > 0 else {
    print("usage: logged-bench observed|logged|logged-bodies URL N C")
    exit(2)
}
let client = Client { $0.connection.connectionsPerOrigin = max(concurrency, 256) }
// As in tsubame-bench, a tenth more requests warm up.
let total = count + count / 10
let log = TrafficLog()
let observer = arguments[0] == "observed" ? client.observe { _ in } : nil
if observer == nil { log.add(client) }
if arguments[0] == "logged-bodies" { log.keepBodies() }
// The main thread sleeps while tasks do the work. An async main would end in dispatch_main, which valgrind does not survive.
Task.detached { [url = arguments[1]] in
    do {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<concurrency {
                group.addTask {
                    for _ in 0..<(total / concurrency + (worker < total % concurrency ? 1 : 0)) {
                        guard try await client.get(url: url).bytes.count == 1024 else {
                            throw CallError(.misuse, "wrong answer")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        exit(0)
    } catch {
        print("failed: \(error)")
        exit(1)
    }
}
while true { pause() }

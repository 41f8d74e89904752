// Soak: long runs under faults and load, each with promises that it checks. See Tests/Soak/README.md.

#if TestServer
import Foundation

let usage = """
    usage: Soak [--quick] faults [CALLS [SEED]]
           Soak [--quick] at-once [CALLS [SECONDS]]
           Soak [--quick] in-a-row [CALLS]
           Soak [--quick] clients [CLIENTS]
           Soak [--quick] slow-readers [READERS [SECONDS]]
           Soak [--quick] deadlines [CALLS]
           Soak [--quick] server | resolver | names FOLDER | clock | disk FOLDER

    """

// A peer that has closed must not end this process.
signal(SIGPIPE, SIG_IGN)
let isQuick = CommandLine.arguments.contains("--quick")
let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--quick" }
func number(_ index: Int, _ standard: Int) -> Int {
    index < arguments.count ? Int(arguments[index]) ?? standard : standard
}
let verdict = Verdict(isFull: !isQuick)
func underLoad(_ verdict: Verdict, _ run: (LoadRuns) async throws -> Void) async throws {
    let runs = try LoadRuns(verdict)
    defer { runs.end() }
    try await run(runs)
}
switch arguments.first {
case "fault-server":
    try await FaultServer.run(
        chance: arguments.count > 1 ? Double(arguments[1]) ?? 0 : 0, seed: UInt64(number(2, 1)))
case "load-server": try await LoadServer.run(port: number(1, 0))
case "faults":
    try await FaultRun(calls: number(1, 50_000), seed: UInt64(number(2, 1)), chance: 0.02).run(verdict)
case "at-once": try await underLoad(verdict) { try await $0.atOnce(number(1, 2_000), seconds: number(2, 120)) }
case "in-a-row": try await underLoad(verdict) { try await $0.inARow(number(1, 100_000)) }
case "clients": try await underLoad(verdict) { try await $0.clients(number(1, 10_000)) }
case "slow-readers": try await underLoad(verdict) { try await $0.slowReaders(number(1, 1_000), seconds: number(2, 20)) }
case "deadlines": try await underLoad(verdict) { try await $0.deadlines(number(1, 2_000)) }
#if Store
case "server": try await Outages(verdict: verdict).server()
case "resolver": try await Outages(verdict: verdict).resolver()
case "names" where arguments.count > 1:
    try await Outages(verdict: verdict).names(URL(filePath: arguments[1], directoryHint: .isDirectory))
case "clock": try await Outages(verdict: verdict).clock()
case "disk" where arguments.count > 1:
    try await Outages(verdict: verdict).disk(URL(filePath: arguments[1], directoryHint: .isDirectory))
#endif
default:
    try FileHandle.standardError.write(contentsOf: Data(usage.utf8))
    exit(64)
}
exit(verdict.exitStatus)
#endif

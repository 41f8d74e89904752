// BuiltProduct: runs an executable of this package as a separate process and keeps its output.

import Foundation
import Synchronization

/// Runs a built executable to its end.
/// - Parameters:
///   - name: the product's name, such as `tsubame` or `HttpClient`, or the path of any other program.
///   - stdin: the file for its standard input; by default `/dev/null`.
///   - environment: variables that are added to this process's own, or replace those with the same name.
///   - limit: the time after which the process is ended and ``ProductError`` is thrown.
func runProduct(
    _ name: String, _ arguments: [String], stdin: [UInt8]? = nil, environment: [String: String] = [:],
    limit: Duration = .seconds(60)
) async throws -> ProductRun {
    try await RunningProduct(name, arguments, stdin: stdin, environment: environment).finished(within: limit)
}

/// The environment of a product under test: that of the tests, but without the user's files, folders and proxies.
enum ProductEnvironment {
    private static let personal: Set = [
        "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "NETRC", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
        "NO_PROXY",
    ]

    static var standard: [String: String] {
        var variables = ProcessInfo.processInfo.environment.filter { !personal.contains($0.key.uppercased()) }
        // No folder can be made there, not even by root.
        variables["HOME"] = "/dev/null"
        variables["XDG_CONFIG_HOME"] = "/dev/null"
        return variables
    }
}

/// The result of a process that has ended.
struct ProductRun: Sendable, CustomStringConvertible {
    /// The exit status; 128 plus the number of the signal that ended the process, as in a shell.
    let status: Int32
    let stdoutBytes: [UInt8]
    let stderrBytes: [UInt8]

    var stdout: String { String(decoding: stdoutBytes, as: UTF8.self) }
    var stderr: String { String(decoding: stderrBytes, as: UTF8.self) }
    /// The lines of stdout.
    var lines: [String] { stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
    /// All its output and errors.
    var shown: String { stdout + stderr }

    var description: String { "status \(status)\nstdout: \(stdout)\nstderr: \(stderr)" }
}

/// An error that says why a product could not be run to its end.
struct ProductError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A running process. It is ended when this object is released, or when a task that waits for the process is cancelled.
///
/// ```swift
/// let server = try RunningProduct("tsubame", ["serve", "--port", "0"])
/// let line = try await server.line { $0.contains("http://") }
/// server.send(signal: SIGINT)
/// let run = try await server.finished()
/// ```
final class RunningProduct: Sendable {
    private let name: String
    private let child: ChildProcess
    private let output: ProductOutput

    init(_ name: String, _ arguments: [String], stdin: [UInt8]? = nil, environment: [String: String] = [:]) throws {
        let path = name.hasPrefix("/") ? name : try BuiltProducts.url(of: name).path
        let input = try Self.input(stdin)
        let (stdout, stderr) = (try ProcessPipe(), try ProcessPipe())
        defer { for descriptor in [input, stdout.write, stderr.write] { close(descriptor) } }
        let output = ProductOutput()
        output.read(stdout.read, as: \.stdout)
        output.read(stderr.read, as: \.stderr)
        let child = try ChildProcess(
            path, arguments, streams: [input, stdout.write, stderr.write],
            environment: ProductEnvironment.standard.merging(environment) { $1 })
        Thread.detachNewThread { output.end(status: child.collect()) }
        self.name = name
        self.child = child
        self.output = output
    }

    deinit { send(signal: SIGKILL) }

    /// Sends a signal, unless the process has ended.
    func send(signal: Int32) { child.send(signal: signal) }

    /// The first line of stdout that satisfies the predicate, as soon as it arrives.
    func line(_ isWanted: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await line(of: \.stdout, isWanted)
    }

    /// The same for a line of stderr.
    func errorLine(_ isWanted: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await line(of: \.stderr, isWanted)
    }

    private func line(
        of stream: any KeyPath<ProductOutput.State, [UInt8]> & Sendable,
        _ isWanted: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        let line = await waiting {
            await self.output.wait { state -> String?? in
                let bytes = state[keyPath: stream]
                let whole = bytes.prefix(through: bytes.lastIndex(of: 0x0A) ?? -1)
                let lines = String(decoding: whole, as: UTF8.self).split(separator: "\n").map(String.init)
                if let line = lines.first(where: isWanted) { return .some(line) }
                return state.isOver ? .some(nil) : nil
            }
        }
        guard let line else { throw ProductError("\(name) ended without the line: \(output.run)") }
        return line
    }

    /// Waits for the end of the process and of its output.
    func finished(within limit: Duration = .seconds(60)) async throws -> ProductRun {
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        let alarm = DispatchWorkItem { self.output.overrun(self.child) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: alarm)
        defer { alarm.cancel() }
        let hasOverrun = await waiting { await self.output.wait { $0.isOver ? $0.hasOverrun : nil } }
        try Task.checkCancellation()
        if hasOverrun { throw ProductError("\(name) did not end within \(limit): \(output.run)") }
        return output.run
    }

    /// Ends the process, and so the wait, when the waiting task is cancelled.
    private func waiting<T: Sendable>(_ body: @Sendable () async -> T) async -> T {
        await withTaskCancellationHandler(operation: body) { send(signal: SIGKILL) }
    }

    private static func input(_ bytes: [UInt8]?) throws -> Int32 {
        guard let bytes else { return open("/dev/null", O_RDONLY | O_CLOEXEC) }
        // An unlinked file is used because it never blocks the writer, as a pipe does.
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return open(url.path, O_RDONLY | O_CLOEXEC)
    }
}

/// The folder of this package's executables, beside the test bundle.
enum BuiltProducts {
    static func url(of name: String) throws -> URL {
        let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map(\.bundleURL)
        let runners = [Bundle.main.executableURL, CommandLine.arguments.first.map { URL(filePath: $0) }]
        let folders = (bundles + runners.compactMap(\.self)).map {
            $0.resolvingSymlinksInPath().deletingLastPathComponent()
        }
        for folder in folders {
            let url = folder.appending(path: name)
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        throw ProductError("no executable \(name) in \(folders.map(\.path)): swift build --product \(name)")
    }
}

/// The output of a process so far, and the tasks that wait for more.
private final class ProductOutput: Sendable {
    struct State: Sendable {
        var stdout: [UInt8] = []
        var stderr: [UInt8] = []
        var openStreams = 0
        var status: Int32?
        var hasOverrun = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        var isOver: Bool { status != nil && openStreams == 0 }
    }

    private let state = Mutex(State())

    var run: ProductRun {
        state.withLock { ProductRun(status: $0.status ?? -1, stdoutBytes: $0.stdout, stderrBytes: $0.stderr) }
    }

    func end(status: Int32) { change { $0.status = status } }

    func overrun(_ child: ChildProcess) {
        change { if $0.status == nil { $0.hasOverrun = true } }
        child.send(signal: SIGKILL)
    }

    /// Reads to the end of the stream on a separate thread.
    func read(_ descriptor: Int32, as stream: any WritableKeyPath<State, [UInt8]> & Sendable) {
        change { $0.openStreams += 1 }
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = buffer.withUnsafeMutableBytes {
                    Foundation.read(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                self.change { $0[keyPath: stream] += buffer[..<count] }
            }
            close(descriptor)
            self.change { $0.openStreams -= 1 }
        }
    }

    /// Waits until the state gives a value.
    func wait<T: Sendable>(_ value: @Sendable (borrowing State) -> T?) async -> T {
        while true {
            if let found = state.withLock({ value($0) }) { return found }
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if value(state) != nil { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

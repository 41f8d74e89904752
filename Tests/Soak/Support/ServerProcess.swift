// ServerProcess: this program once more, as the server of a run, so that the run's own process holds nothing but clients.

import Foundation

/// A child process that prints one line of JSON when it serves, and ends when its standard input ends.
final class ServerProcess {
    private let process = Process()
    private let input = Pipe()

    /// Starts the child and reads its ports.
    static func start<Ports: Decodable>(_ arguments: [String], as: Ports.Type) throws -> (ServerProcess, Ports) {
        let server = ServerProcess()
        let output = Pipe()
        server.process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        server.process.arguments = arguments
        server.process.standardInput = server.input
        server.process.standardOutput = output
        try server.process.run()
        var line = Data()
        while line.last != 0x0A {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { throw Failure(description: "the server has ended: \(arguments)") }
            line += more
        }
        return (server, try JSONDecoder().decode(Ports.self, from: line))
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Ends the child in the middle of what it does.
    func kill() {
        process.terminate()
        process.waitUntilExit()
    }

    // MARK: In the child

    static func announce(_ ports: some Encodable) throws {
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(ports) + Data("\n".utf8))
    }

    static func untilInputEnds() async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                _ = FileHandle.standardInput.readDataToEndOfFile()
                done.resume()
            }
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}

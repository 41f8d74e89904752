// SecondOpinion: another program that answers the same question. Tests/Fuzz/second-opinion.py calls Python's libraries.

import Foundation

/// A process that answers inputs one after the other. Both directions put the length before the bytes, in four bytes.
// Sendable is unchecked because of the pipes: `lock` guards them.
final class SecondOpinion: @unchecked Sendable {
    private let lock = NSLock()
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// nil if the program does not start, or lacks what it needs for this kind of question.
    init?(_ kind: String) {
        let environment = ProcessInfo.processInfo.environment
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "second-opinion.py")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [environment["TSUBAME_FUZZ_PYTHON"] ?? "python3", script.path, kind]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil, (try? answer([])) != nil else { return nil }
    }

    func answer(_ question: [UInt8]) throws -> [UInt8] {
        try lock.withLock {
            let count = question.count
            let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
            try write(length + question)
            let size = try read(4).reduce(0) { $0 << 8 | Int($1) }
            return try read(size)
        }
    }

    // The calls of the C library, because libFuzzer's alarm interrupts them, and then they are to be repeated.

    private func write(_ bytes: [UInt8]) throws(Finding) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { memory in
                Foundation.write(input.fileHandleForWriting.fileDescriptor, memory.baseAddress, memory.count)
            }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw ended }
        }
    }

    private func read(_ count: Int) throws(Finding) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: count)
        while bytes.count < count {
            let missing = count - bytes.count
            let size = buffer.withUnsafeMutableBytes { memory in
                Foundation.read(output.fileHandleForReading.fileDescriptor, memory.baseAddress, missing)
            }
            if size > 0 { bytes += buffer[..<size] } else if size == 0 || errno != EINTR { throw ended }
        }
        return bytes
    }

    private var ended: Finding { Finding("the second opinion has ended") }
}

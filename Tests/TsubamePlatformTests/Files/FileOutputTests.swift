// FileOutputTests: FileOutput writes all the bytes or gives the reason why not.

import Foundation
import Testing
import TsubamePlatform

struct FileOutputTests {
    @Test func `bytes come to the position that is named, or to where the descriptor stands`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try Data("0123456789".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try FileHandle(forUpdating: url)
        let first = Array("ab".utf8).withUnsafeBytes { FileOutput.write($0, to: file.fileDescriptor) }
        let second = Array("cdef".utf8).withUnsafeBytes { FileOutput.write($0, to: file.fileDescriptor, at: 8) }
        #expect(first == (2, 0) && second == (4, 0))
        #expect(try Data(contentsOf: url) == Data("ab234567cdef".utf8))
    }

    @Test func `a pipe that takes a part at a time gets all of it`() async throws {
        let pipe = Pipe()
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let reader = Task.detached { try pipe.fileHandleForReading.read(upToCount: bytes.count) }
        let written = bytes.withUnsafeBytes { FileOutput.write($0, to: descriptor) }
        #expect(written == (bytes.count, 0))
        let got = try await reader.value
        #expect(got == Data(bytes))
    }

    @Test func `FAULT 16: a file has its name only once its bytes are on the disk`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (old, new) = (folder.appending(path: "old"), folder.appending(path: "new"))
        try Data("old".utf8).write(to: old)
        try Data("new".utf8).write(to: new)
        // A file whose bytes may not be on the disk takes no name.
        #expect(FileOutput.replace(old.path, by: new.path, -1) == EBADF)
        #expect(try Data(contentsOf: old) == Data("old".utf8))
        let file = try FileHandle(forUpdating: new)
        #expect(FileOutput.replace("\(folder.path)/missing/file", by: new.path, file.fileDescriptor) == ENOENT)
        #expect(FileOutput.replace(old.path, by: new.path, file.fileDescriptor) == 0)
        #expect(try Data(contentsOf: old) == Data("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["old"])
    }

    @Test func `a file that cannot be put on a disk is no error`() {
        let pipe = Pipe()
        #expect(FileOutput.flush(pipe.fileHandleForWriting.fileDescriptor) == 0)
    }

    @Test func `what keeps them from being written is said`() throws {
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        let result = [1, 2, 3].withUnsafeBytes { FileOutput.write($0, to: full.fileDescriptor) }
        #expect(result == (0, ENOSPC))
        let none = [UInt8](repeating: 0, count: 4)
        #expect(none.withUnsafeBytes { FileOutput.write($0, to: -1) } == (0, EBADF))
        #expect(none.withUnsafeBytes { FileOutput.write($0, to: -1, at: .max - 1) }.error != 0)
    }
}

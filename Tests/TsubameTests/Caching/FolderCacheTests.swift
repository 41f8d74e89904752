// FolderCacheTests: a cache in a folder touches only its own files.

import Foundation
import HTTPTypes
import Testing
@testable import Tsubame
import TsubameCore
import TsubameTesting
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct FolderCacheTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]
    private static let digits = "0123456789abcdef0123456789abcdef"

    private func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func paths(_ folder: URL) throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: folder.path))
    }

    /// Performs every operation of a cache: it stores, counts, evicts, and removes one response and all of them.
    private func use(_ cache: ResponseCache) async throws {
        let server = try await ScriptedServer.start { request in
            .ok(String(repeating: "x", count: 100_000), headers: Self.fresh)
        }
        try await serving(server) {
            $0.cache = .cache(cache)
        } _: { server, client in
            for number in 0..<4 { _ = try await client.get("\(number)").accepted() }
            #expect(cache.byteCount > 100_000 && cache.byteCount <= 250_000)
            let hit = try await client.get("3")
            #expect(hit.cacheStatus?.hasPrefix("tsubame; hit") == true)
            try cache.remove("\(server.url)/3")
            cache.removeAll()
            #expect(cache.byteCount == 0)
        }
    }

    @Test func `FAULT 8: a cache refuses a folder that holds other files, and changes nothing in it`() async throws {
        try await withTemporaryFolder { folder in
            try write("a", to: folder.appending(path: "Docs/a.txt"))
            try write("b", to: folder.appending(path: "Docs/b"))
            let before = try paths(folder)
            let error = #expect(throws: CallError.self) { try ResponseCache(folder: folder.path) }
            #expect(error?.kind == .file && error?.reason.contains("not of a cache") == true)
            #expect(error?.advice?.contains("empty folder") == true)
            #expect(try paths(folder) == before)
        }
    }

    @Test func `FAULT 8: a cache folder leaves files alone that it did not make`() async throws {
        try await withTemporaryFolder { parent in
            let (folder, outside) = (parent.appending(path: "cache"), parent.appending(path: "outside"))
            let cache = try ResponseCache(folder: folder.path, bytes: 250_000)
            let names = ["a.txt", "b", "c.part", Self.digits, Self.digits + ".body", Self.digits + ".part"]
            for name in names { try write(name, to: outside.appending(path: name)) }
            // Added later: another folder, links under any name, and strange files in a key's own folder.
            for name in ["a.txt", "b", Self.digits + ".body"] {
                try write(name, to: folder.appending(path: "Docs/\(name)"))
            }
            try FileManager.default.createDirectory(
                at: folder.appending(path: "Docs/Empty"), withIntermediateDirectories: true)
            let key = String(Self.digits.reversed())
            for name in ["notes.txt", ".hidden", "Digits.body"] {
                try write(name, to: folder.appending(path: "\(key)/\(name)"))
            }
            for link in ["link", Self.digits, "\(key)/\(Self.digits)", "\(key)/\(Self.digits).part"] {
                let isFile = link.contains("/")
                try FileManager.default.createSymbolicLink(
                    at: folder.appending(path: link),
                    withDestinationURL: isFile ? outside.appending(path: "a.txt") : outside)
            }
            let before = (try paths(folder), try paths(outside))
            try await use(cache)
            #expect(try paths(folder) == before.0)
            #expect(try paths(outside) == before.1)
            for name in names {
                #expect(try Data(contentsOf: outside.appending(path: name)) == Data(name.utf8))
            }
        }
    }

    @Test func `FAULT 8: nothing is written through a link in the place of a key's folder`() async throws {
        try await withTemporaryFolder { parent in
            let (folder, outside) = (parent.appending(path: "cache"), parent.appending(path: "outside"))
            try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: false)
            let storage = try FolderCacheStorage(folder.path, limit: 1_000_000)
            try FileManager.default.createSymbolicLink(
                at: URL(filePath: storage.folder(of: "GET a").path), withDestinationURL: outside)
            let head = StoredHead(
                status: 200, fields: Self.fresh, selecting: [:], requestTime: 1, responseTime: 1)
            let writer = try #require(storage.store(head, under: "GET a", length: 1))
            #expect(writer.write(Bytes("a")) && !writer.finish())
            #expect(storage.takeNotices().count == 1 && storage.responses(to: "GET a").isEmpty)
            #expect(try paths(outside).isEmpty)
        }
    }

    @Test func `FAULT 8: a folder that a cache has marked is opened again, empty or not`() async throws {
        try await withTemporaryFolder { folder in
            for _ in 0..<2 {
                let cache = try ResponseCache(folder: folder.path, bytes: 250_000)
                #expect(try paths(folder) == [CacheFolderMark.name])
                try await use(cache)
            }
            try write("later", to: folder.appending(path: "later.txt"))
            _ = try ResponseCache(folder: folder.path)
            #expect(try paths(folder) == [CacheFolderMark.name, "later.txt"])
        }
    }

    private static let names: [(String, CacheFileName.Kind?)] = [
        (digits, .record), ("\(digits).body", .body), ("\(digits).part", .part), ("\(digits).body.part", .part),
        ("\(digits).part.body", nil), ("\(digits).", nil), ("\(digits)0", nil), ("\(digits)\u{301}", nil),
        (digits.uppercased(), nil), ("0123", nil), ("", nil), ("a.txt", nil), (".part", nil), (".", nil), ("..", nil),
    ]

    @Test(arguments: names)
    func `FAULT 8: a cache knows its files by their names`(_ name: String, _ kind: CacheFileName.Kind?) {
        #expect(CacheFileName.kind(of: name) == kind)
    }
}

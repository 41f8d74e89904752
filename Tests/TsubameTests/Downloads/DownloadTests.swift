// DownloadTests: downloads: names, existing files, leftovers, digests, ways to wait.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1)))
struct DownloadTests {
    private let file = ServedFile(count: 100_000)

    @Test func `a folder gets a file of the URL's name, and everything is told of it`() async throws {
        let file = file
        try await withFolder { folder in
            try await serving(.start { file.answer($0) }) { server, client in
                let told = Log<DownloadProgress>()
                let got = try await client.download("a/big.iso", to: folder) { told.add($0) }
                #expect(got.url.lastPathComponent == "big.iso" && got.url.bytes == file.content)
                #expect(got.count == 100_000 && got.resumed == 0 && got.response.statusCode == 200)
                #expect(folder.names == ["big.iso"])
                #expect(server.requests[0]["accept-encoding"] == "identity" && server.requests[0]["range"] == nil)
                let first = try #require(told.all.first)
                let last = try #require(told.all.last)
                #expect(first.received == 0 && first.total == 100_000 && first.file == got.url)
                #expect(last.received == 100_000 && last.fraction == 1)
                #expect("\(last)" == "big.iso: 100000 of 100000 bytes (100%)")
            }
        }
    }

    @Test(arguments: [
        (#"attachment; filename="../../up.sh""#, "up.sh"), (#"attachment; filename="C:\\dir\\x.exe""#, "x.exe"),
        ("attachment; filename=.bashrc", "bashrc"), ("attachment; filename*=UTF-8''%e7%87%95.txt", "燕.txt"),
        (#"attachment; filename="""#, "name"), ("attachment; filename*=UTF-8''a%00b%0A.txt", "ab.txt"),
    ])
    func `BAD-INPUT 41: a server's name is a base name in the folder`(field: String, name: String) async throws {
        try await withFolder { folder in
            let inner = folder.appending(path: "inner")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            try await serving(.start { _ in .ok("hello", headers: [.contentDisposition: field]) }) { _, client in
                for isResumed in [false, true] {
                    let got = try await client.download(
                        "name", to: inner, resume: isResumed, policy: .standard { $0.ifExists = .replace })
                    #expect(got.url.lastPathComponent == name)
                }
                #expect(inner.names == [name] && folder.names == ["inner"])
            }
        }
    }

    @Test func `BAD-INPUT 41: nothing is overwritten silently`() async throws {
        try await withFolder { folder in
            try await serving(.start { _ in .ok("new") }) { server, client in
                let mine = folder.appending(path: "a.txt")
                try Data("mine".utf8).write(to: mine)
                let numbered = try await client.download("a.txt", to: folder)
                #expect(numbered.url.lastPathComponent == "a-1.txt")
                let refused = try await failure {
                    try await client.download("a.txt", to: mine, policy: .standard { $0.ifExists = .fail })
                }
                let sent = server.requests.count
                #expect(refused.kind == .file && sent == 1)
                let inFolder = try await failure {
                    try await client.download("a.txt", to: folder, policy: .standard { $0.ifExists = .fail })
                }
                #expect(inFolder.kind == .file)
                let beside = try await client.download("x", to: mine, policy: .standard { $0.ifExists = .number })
                #expect(beside.url.lastPathComponent == "a-2.txt")
                #expect(mine.bytes == Array("mine".utf8))
                let replaced = try await client.download("x", to: mine)
                #expect(replaced.url.lastPathComponent == "a.txt" && mine.bytes == Array("new".utf8))
                #expect(folder.names == ["a-1.txt", "a-2.txt", "a.txt"])
            }
        }
    }

    @Test func `a link stays one, and a file that is replaced keeps its permissions`() async throws {
        try await withFolder { folder in
            try await serving(.start { _ in .ok("new") }) { _, client in
                let (file, link) = (folder.appending(path: "file"), folder.appending(path: "link"))
                try Data("old".utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
                _ = try await client.download("x", to: link)
                #expect(file.bytes == Array("new".utf8))
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
            }
        }
    }

    @Test func `BAD-INPUT 42: on error only our own file is removed, and what was there stays`() async throws {
        let file = file
        try await withFolder { folder in
            try await serving(.start { file.answer($0, sending: 500) }, { $0.retry = .off }) { _, client in
                let target = folder.appending(path: "a")
                try Data("mine".utf8).write(to: target)
                try Data("other".utf8).write(to: folder.appending(path: ".a.part"))
                let error = try await failure { try await client.download("a", to: target) }
                #expect(error.kind == .incompleteResponse)
                #expect(target.bytes == Array("mine".utf8) && folder.names == [".a.part", "a"])
            }
        }
    }

    @Test(arguments: [404, 500, 204, 205]) func `an error's page, and nothing at all, are not saved`(code: Int)
        async throws
    {
        try await withFolder { folder in
            try await serving(.start { _ in .bytes("HTTP/1.1 \(code) X\r\nContent-Length: 0\r\n\r\n") }) { _, client in
                let error = try await failure { try await client.download("a", to: folder, resume: true) }
                #expect(error.kind == .status && error.response?.statusCode == code)
                #expect(folder.names.isEmpty)
            }
        }
    }

    @Test func `BAD-INPUT 42: a part that nobody asked for is not a file`() async throws {
        let part = "HTTP/1.1 206 X\r\nContent-Range: bytes 0-3/10\r\nContent-Length: 4\r\nETag: \"1\"\r\n\r\nabcd"
        try await withFolder { folder in
            try await serving(.start { _ in .bytes(part) }) { _, client in
                let error = try await failure { try await client.download("a", to: folder, resume: true) }
                #expect(error.kind == .invalidResponse && folder.names.isEmpty)
                var request = Request(.get, "a")
                request.ask(for: .bytes(0...3))
                let got = try await client.download(request, to: folder, resume: true)
                #expect(got.url.bytes == Array("abcd".utf8) && folder.names == ["a"])
            }
        }
    }

    @Test func `places that cannot be written to are told before anything is sent`() async throws {
        try await withFolder { folder in
            try await serving(.start { _ in .ok("x") }) { server, client in
                let places = [
                    folder.appending(path: "no/file"), folder.appending(path: "no/", directoryHint: .isDirectory),
                    URL(filePath: "/dev/null"),
                ]
                for place in places {
                    let error = try await failure { try await client.download("a", to: place) }
                    #expect(error.kind == .file, "\(place)")
                }
                let web = try #require(URL(string: "https://a.example/x"))
                let misuse = try await failure { try await client.download("a", to: web) }
                #expect(misuse.kind == .misuse && server.requests.isEmpty)
            }
        }
    }

    @Test func `a coded body that nobody asked for is decoded, and begins anew each time`() async throws {
        let text = String(repeating: "hello ", count: 1_000)
        let coded = Coded.gzip(text)
        try await withFolder { folder in
            let server = try await ScriptedServer.start { _ in
                .ok(coded, headers: [.contentEncoding: "gzip", .eTag: "\"one\""])
            }
            try await serving(server) { server, client in
                let got = try await client.download("a", to: folder, resume: true)
                #expect(got.url.bytes == Array(text.utf8) && folder.names == ["a"])
                // A caller that asks for a coding gets it.
                var request = Request(.get, "b")
                request.headers[.acceptEncoding] = "gzip"
                let raw = try await client.download(request, to: folder)
                #expect(raw.url.bytes == coded)
            }
        }
    }

    // MARK: Digests

    private static let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

    @Test func `a digest decides, and nothing is kept of what does not match`() async throws {
        try await withFolder { folder in
            try await serving(.start { _ in .ok("hello", headers: [.eTag: "\"one\""]) }) { _, client in
                let right = DownloadPolicy.standard { $0.digest = .sha256(Self.hello.uppercased()) }
                _ = try await client.download("a", to: folder, policy: right)
                let wrong = DownloadPolicy.standard { $0.digest = .sha256(String(repeating: "0", count: 64)) }
                let error = try await failure {
                    try await client.download("b", to: folder, resume: true, policy: wrong)
                }
                #expect(error.kind == .decoding && error.reason.contains(Self.hello))
                #expect(folder.names == ["a"])
                for text in ["", "12", String(repeating: "g", count: 64)] {
                    let none = DownloadPolicy.standard { $0.digest = .sha256(text) }
                    let misuse = try await failure { try await client.download("c", to: folder, policy: none) }
                    #expect(misuse.kind == .misuse)
                }
            }
        }
    }

    @Test func `a rule that retries a wrong digest begins anew`() async throws {
        try await withFolder { folder in
            let server = try await ScriptedServer.start {
                .ok($0.index == 0 ? "jello" : "hello", headers: [.eTag: "\"one\""])
            }
            try await serving(server, { $0.retry = .standard { $0.rule = { _ in .retry(after: .zero) } } }) {
                server, client in
                let policy = DownloadPolicy.standard { $0.digest = .sha256(Self.hello) }
                let got = try await client.download("a", to: folder, resume: true, policy: policy)
                #expect(got.url.bytes == Array("hello".utf8) && folder.names == ["a"])
                #expect(server.requests.map { $0["range"] } == [nil, nil])
            }
        }
    }

    @Test(arguments: [
        ("Repr-Digest", "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:", true),
        ("Content-Digest", "md5=:AAAA:, sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:", true),
        ("Repr-Digest", "sha-256=:AAAAul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:", false),
        // A malformed digest is ignored.
        ("Repr-Digest", "sha-256=LPJN", true), ("Repr-Digest", "sha-256=:AAAA:", true),
    ])
    func `a digest that the server names is compared`(name: String, value: String, isRight: Bool) async throws {
        let field = try #require(HTTPField.Name(name))
        try await withFolder { folder in
            try await serving(.start { _ in .ok("hello", headers: [field: value]) }) { _, client in
                if isRight {
                    _ = try await client.download("a", to: folder)
                    #expect(folder.names == ["a"])
                } else {
                    let error = try await failure { try await client.download("a", to: folder) }
                    #expect(error.kind == .decoding && folder.names.isEmpty)
                    _ = try await client.download("a", to: folder, policy: .standard { $0.checksServerDigest = false })
                }
            }
        }
    }

    @Test(arguments: ["Repr-Digest", "Content-Digest"])
    func `RFC 9530: the digest of the whole file is not that of the caller's own range`(name: String) async throws {
        let field = try #require(HTTPField.Name(name))
        try await withFolder { folder in
            let server = try await ScriptedServer.start { _ in
                // The digest is that of all five bytes.
                .status(
                    .partialContent, "he",
                    headers: [
                        .contentRange: "bytes 0-1/5", field: "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:",
                    ])
            }
            try await serving(server) { _, client in
                let request = Request(.get, "a", headers: [.range: "bytes=0-1"])
                if name == "Repr-Digest" {
                    let got = try await client.download(request, to: folder)
                    #expect(got.url.bytes == Array("he".utf8))
                } else {
                    let error = try await failure { try await client.download(request, to: folder) }
                    #expect(error.kind == .decoding && folder.names.isEmpty)
                }
            }
        }
    }

    // MARK: Ways to wait

    @Test func `blocking and by callbacks it is the same`() async throws {
        let file = file
        try await withFolder { folder in
            try await serving(.start { file.answer($0) }) { _, client in
                let blocking = try await onThread {
                    try client.blocking.download(Request(.get, "a"), to: folder, resume: true)
                }
                #expect(blocking.url.bytes == file.content)
                let told = Log<DownloadProgress>()
                let result = await withCheckedContinuation { continuation in
                    client.start(
                        downloading: Request(.get, "b"), to: folder, on: .queue(.init(label: "x")),
                        progress: { told.add($0) }, then: { continuation.resume(returning: $0) })
                }
                #expect(try result.get().url.bytes == file.content)
                #expect(told.all.last?.received == 100_000)
                let wrong = await withCheckedContinuation { continuation in
                    client.start(downloading: Request(.get, "b"), to: folder.appending(path: "no/x")) {
                        continuation.resume(returning: $0)
                    }
                }
                guard case .failure(let error) = wrong else { return #expect(Bool(false), "\(wrong)") }
                #expect(error.kind == .file)
                let onLoop = try await Task(executorPreference: client.executor) {
                    try await client.download("c", to: folder)
                }.value
                #expect(onLoop.url.bytes == file.content)
                #expect(folder.names == ["a", "b", "c"])
            }
        }
    }

    @Test func `a cancelled download leaves nothing unless it can be resumed`() async throws {
        let (file, gate) = (file, Gate())
        try await withFolder { folder in
            try await serving(.start { file.answer($0, sending: 70_000, then: gate) }) { _, client in
                for isResumed in [false, true] {
                    let begun = Gate()
                    let end = Gate()
                    let kept = Log<CallError>()
                    let call = client.start(
                        downloading: Request(.get, "a"), to: folder, resume: isResumed, on: .queue(.init(label: "x")),
                        progress: { if $0.received > 0 { begun.open() } },
                        then: { result in
                            if case .failure(let error) = result { kept.add(error) }
                            end.open()
                        })
                    try await begun.wait()
                    call.cancel()
                    try await end.wait()
                    #expect(kept.all.first?.kind == .cancelled)
                    #expect(folder.names == (isResumed ? [".a.tsubame-info", ".a.tsubame-part"] : []))
                }
            }
        }
    }
}

// CookieJarTests: a jar as a program uses it: reading, changing, importing and exporting text.

import Foundation
import Testing
import Tsubame
import TsubameTesting

@Suite struct CookieJarTests {
    private let url = "https://www.example.com/a/b"

    @Test func `cookies are listed as they would be sent`() throws {
        let jar = CookieJar()
        try jar.set("a=1; Path=/", from: url)
        try jar.set("b=2; Path=/a", from: url)
        try jar.set("c=3; Domain=example.com; Path=/", from: url)
        try jar.set(Cookie(name: "d", value: "4", domain: "other.example"))
        #expect(jar.cookies.map(\.name) == ["a", "b", "c", "d"])
        #expect(try jar.cookies(for: url).map(\.name) == ["b", "a", "c"])
        #expect(try jar.cookies(for: "http://x.EXAMPLE.com").map(\.name) == ["c"])
        #expect(try jar.cookies(for: "http://other.example:8080/?q").map(\.name) == ["d"])
        #expect(throws: CallError.self) { try jar.cookies(for: "nonsense") }
    }

    @Test func `a cookie that no server could set is refused with the reason and without its value`() {
        let jar = CookieJar()
        for (cookie, word) in [
            (Cookie(name: "a", value: "geheim\n", domain: "example.com"), "control"),
            (Cookie(name: "a", value: "geheim", domain: "co.uk", isHostOnly: false), "public suffix"),
            (Cookie(name: "__Host-a", value: "geheim", domain: "example.com"), "__Host-"),
            (Cookie(name: "a;b", value: "geheim", domain: "example.com"), ";"),
            (Cookie(name: "a", value: "geheim", domain: "/"), "host"),
        ] {
            do {
                try jar.set(cookie)
                Issue.record("\(cookie) was taken")
            } catch {
                #expect(error.kind == .misuse)
                #expect("\(error)".contains(word))
                #expect(!"\(error)".contains("geheim"))
            }
        }
        #expect(throws: CallError.self) { try jar.set("a=geheim; Domain=b.example", from: url) }
        #expect(jar.cookies.isEmpty)
    }

    @Test func `cookies are deleted one by one, by choice and all at once`() throws {
        let jar = CookieJar()
        for name in ["a", "b", "c", "d"] { try jar.set("\(name)=1; Max-Age=60", from: url) }
        try jar.set("session=1", from: url)
        let first = try #require(jar.cookies.first)
        var otherValue = first
        otherValue.value = "2"
        #expect(try jar.delete(otherValue))
        #expect(try !jar.delete(first))
        #expect(try jar.delete { $0.name == "b" || $0.name == "c" } == 2)
        try jar.endSession()
        #expect(jar.cookies.map(\.name) == ["d"])
        try jar.clear()
        #expect(jar.cookies.isEmpty)
    }

    @Test func `what has ended is not listed`() throws {
        let jar = CookieJar()
        try jar.set(Cookie(name: "a", value: "1", domain: "example.com", expires: CookieJar.now - 1))
        #expect(jar.cookies.isEmpty)
        try jar.set("a=1; Max-Age=60", from: url)
        try jar.set("a=; Max-Age=0", from: url)
        #expect(jar.cookies.isEmpty)
    }

    @Test func `a jar has the public suffixes that it is given`() throws {
        let list = try #require(PublicSuffixList(parsing: "com\nexample.com"))
        let jar = CookieJar(publicSuffixes: list)
        #expect(throws: CallError.self) { try jar.set("a=1; Domain=example.com", from: url) }
        try jar.set("a=1; Domain=co.uk", from: "https://a.co.uk/")
        #expect(jar.cookies.map(\.domain) == ["co.uk"])
    }

    @Test func `a list of public suffixes can be read from a file`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "list.dat").path
            #expect(throws: CallError.self) { try PublicSuffixList.file(file) }
            try "// VERSION: 2026-01-02_x\ncom\nexample.com\n".write(toFile: file, atomically: true, encoding: .utf8)
            let list = try PublicSuffixList.file(file)
            #expect(list.date == "2026-01-02")
            #expect(list.isPublicSuffix("example.com"))
            try "<html>".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(throws: CallError.self) { try PublicSuffixList.file(file) }
        }
    }

    @Test func `the way to a client's jar is the client, and its views have the same`() throws {
        let client = Client("https://a.example", transport: StubTransport { $0.on("*") }) { $0.cookies = .memory }
        let view = client.with { $0.timeouts.total = .seconds(1) }
        try client.cookieJar?.set("a=1", from: "https://a.example/")
        #expect(view.cookieJar?.cookies.count == 1)
        #expect(Client.shared.cookieJar == nil)
        let other = Client("https://a.example", transport: StubTransport { $0.on("*") }) { $0.cookies = .memory }
        #expect(other.cookieJar?.cookies.isEmpty == true)
    }

    @Test func `no text of a jar shows a value`() throws {
        let jar = CookieJar()
        try jar.set("a=geheim", from: url)
        let client = Client(transport: StubTransport { $0.on("*") }) { $0.cookies = .jar(jar) }
        var dumped = ""
        dump(jar, to: &dumped)
        dump(client, to: &dumped)
        for text in [dumped, "\(jar)", "\(client.configuration)", "\(client.configuration.cookies)", "\(jar.cookies)"] {
            #expect(!text.contains("geheim"))
        }
        #expect("\(jar)" == "cookie jar with 1 cookie")
    }

    @Test func `a text of cookies goes out and in`() throws {
        let jar = CookieJar()
        try jar.set("a=1; Secure; HttpOnly; Max-Age=60", from: url)
        try jar.set("b=2; Domain=example.com", from: url)
        let copy = CookieJar()
        #expect(try copy.importText(jar.exportText()).isEmpty)
        #expect(copy.cookies == jar.cookies)
        let problems = try copy.importText("x\nexample.com\tFALSE\t/\tFALSE\t0\tc\td\n")
        #expect(problems.map(\.line) == [1])
        #expect(copy.cookies.count == 3)
    }

    @Test func `FAULT 24: an export tells of the cookies that its format cannot hold`() async throws {
        let jar = CookieJar()
        for field in ["a\tb=1", "c=2; Path=/x\ty", "e=4\t5", "d=3; Path=/"] { try jar.set(field, from: url) }
        var leftOut: [String] = []
        let text = jar.exportText { leftOut.append($0.name) }
        #expect(leftOut == ["a\tb", "c", "e"] && text.hasSuffix("\td\t3\n"), "\(leftOut)")
        try await withTemporaryFolder { folder in
            var count = 0
            try jar.exportFile(folder.appending(path: "cookies.txt").path) { _ in count += 1 }
            #expect(count == 3)
        }
    }

    @Test func `files of cookies go out and in`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "cookies.txt").path
            let jar = CookieJar()
            try jar.set("a=1", from: url)
            try jar.exportFile(file)
            let copy = CookieJar()
            #expect(try copy.importFile(file).isEmpty)
            #expect(copy.cookies == jar.cookies)
            // An import adds cookies, and reads the lines that it can from any file.
            try "nonsense\nb.example\tFALSE\t/\tFALSE\t0\tc\td\n".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try copy.importFile(file).map(\.line) == [1])
            #expect(copy.cookies.count == 2)
            #expect(throws: CallError.self) { try copy.importFile(folder.path) }
            #expect(throws: CallError.self) { try copy.importFile(file + ".not") }
            #expect(throws: CallError.self) { try copy.exportFile(folder.appending(path: "no/x").path) }
        }
    }
}

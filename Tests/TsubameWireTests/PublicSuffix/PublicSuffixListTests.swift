// PublicSuffixListTests: the public suffix list, built in and read from a text.

import Foundation
import Testing
import TsubameWire

@Suite struct PublicSuffixListTests {
    private let list = PublicSuffixList.builtIn

    @Test(arguments: PublicSuffixCases.all)
    func theListsOwnTestPasses(_ host: String, _ domain: String?) {
        #expect(list.registrableDomain(of: host) == domain)
    }

    @Test(arguments: ["co.uk", "co.UK", "co.uk.", "CO.UK.", "com", "github.io", "公司.cn", "xn--55qx5d.cn", "localhost"])
    func suffixesAreKnownInAnySpelling(_ host: String) {
        #expect(list.isPublicSuffix(host))
        #expect(list.registrableDomain(of: host) == nil)
    }

    @Test func theDotOfTheRootStays() {
        #expect(list.registrableDomain(of: "www.Example.co.uk.") == "example.co.uk.")
        #expect(list.publicSuffix(of: "www.example.co.uk.") == "co.uk.")
    }

    @Test func aWildcardHasExceptionsAndAName() {
        #expect(list.isPublicSuffix("anything.ck"))
        #expect(!list.isPublicSuffix("www.ck"))
        #expect(list.publicSuffix(of: "x.www.ck") == "ck")
        #expect(list.publicSuffix(of: "kobe.jp") == "kobe.jp")
        #expect(list.publicSuffix(of: "a.b.kobe.jp") == "b.kobe.jp")
        #expect(list.publicSuffix(of: "a.city.kobe.jp") == "kobe.jp")
    }

    @Test func theSectionsCanBeAskedByThemselves() {
        #expect(list.registrableDomain(of: "a.b.github.io") == "b.github.io")
        #expect(list.registrableDomain(of: "a.b.github.io", in: .icann) == "github.io")
        #expect(list.registrableDomain(of: "a.b.co.uk", in: .private) == "co.uk")
        #expect(list.registrableDomain(of: "a.b.co.uk", in: []) == "co.uk")
    }

    @Test(arguments: [
        "", ".", "..", ".com", "a..com", "a.com..", "127.0.0.1", "1.2.3.4.", "::1", "[::1]", "fe80::1%eth0", "0x7f.1",
        "exämple.com/x", "ä@b.com", "ä b.com",
    ])
    func whatIsNoNameHasNoSuffix(_ host: String) {
        #expect(list.publicSuffix(of: host) == nil)
        #expect(list.registrableDomain(of: host) == nil)
        #expect(!list.isPublicSuffix(host))
    }

    @Test func theListSaysHowOldItIs() throws {
        let date = try #require(list.date)
        #expect(date.count == 10 && date >= "2026-10-22")
        #expect(list.count > 9_000)
        #expect("\(list)".contains(date))
    }

    @Test func aListCanBeReadFromAText() throws {
        let read = try #require(
            PublicSuffixList(
                parsing: """
                    // VERSION: 2026-10-01_07-00-00_UTC
                    // ===BEGIN ICANN DOMAINS===
                    com   a comment
                      *.ck\r
                    !www.ck
                    *
                    公司.cn
                    // ===END ICANN DOMAINS===
                    // ===BEGIN PRIVATE DOMAINS===
                    Example.COM
                    """))
        #expect(read.date == "2026-10-01")
        #expect(read.count == 5)
        #expect(read.registrableDomain(of: "a.b.example.com") == "b.example.com")
        #expect(read.registrableDomain(of: "a.b.example.com", in: .icann) == "example.com")
        #expect(read.registrableDomain(of: "a.b.co.uk") == "co.uk")
        #expect(read.registrableDomain(of: "x.www.ck") == "www.ck")
        #expect(read.registrableDomain(of: "x.y.z.ck") == "y.z.ck")
        #expect(read.isPublicSuffix("xn--55qx5d.cn"))
    }

    @Test(arguments: ["", "// nothing", "a..b", "http://a/", "a/b", "!", "*.", "*.*.com", "a.*.com", "<html>\n</html>"])
    func aTextThatIsNoListIsRefused(_ text: String) {
        #expect(PublicSuffixList(parsing: text) == nil)
    }

    @Test func noNameTraps() {
        for byte in UInt8.min...UInt8.max {
            for text in [[byte], [byte, byte], [0x61, 0x2E, byte], [byte, 0x2E, 0x63, 0x6F, 0x6D], [byte, 0x2E]] {
                _ = list.registrableDomain(of: String(decoding: text, as: UTF8.self))
            }
        }
        _ = list.registrableDomain(of: String(repeating: "a.", count: 50_000) + "com")
        _ = list.registrableDomain(of: String(repeating: ".", count: 100_000))
    }

    /// The file that `Scripts/tables/check-public-suffixes.py make` wrote.
    private static let cases = ProcessInfo.processInfo.environment["TSUBAME_PUBLIC_SUFFIXES"]

    @Test(.enabled(if: cases != nil)) func anotherImplementationAgrees() throws {
        let read = PublicSuffixList(
            parsing: try String(contentsOfFile: "\(Self.cases ?? "").list", encoding: .utf8))
        var count = 0
        for line in try String(contentsOfFile: Self.cases ?? "", encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: "\t").map(String.init)
            try #require(fields.count == 3)
            for list in [list, read].compactMap(\.self) {
                let found = list.registrableDomain(of: fields[0]) ?? "-"
                let inICANN = list.registrableDomain(of: fields[0], in: .icann) ?? "-"
                if found != fields[1] || inICANN != fields[2] {
                    Issue.record("\(fields[0]): \(found), \(inICANN) instead of \(fields[1]), \(fields[2])")
                }
                count += 1
            }
        }
        print("\(count) comparisons")
    }
}

// FoundationURLTests: conversion from and to Foundation's URL, which must survive a round trip.

import HTTPTypes
import Testing
import TsubameCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct FoundationURLTests {
    @Test(
        "BAD-INPUT 26: what Foundation takes is read again",
        arguments: [
            "http://a%2Fb/", "http://a:99999/", "http://a:0/", "http:///x", "http:a", "http://a..b/",
            "http://1.2.3.256/",
            "http://[::1%25eth0]/", "ftp://a/", "file:///etc/passwd", "a/b", "mailto:a@b",
        ])
    func refused(text: String) {
        // Foundation refuses some of them too, depending on the system.
        guard let url = URL(string: text) else { return }
        let error = #expect(throws: CallError.self) { try TargetURI(url) }
        #expect(error?.kind == .invalidRequest)
    }

    @Test func bothReadTheSame() throws {
        for text in [
            "http://a/", "https://a.example:8443/x/y?q=1&r#f", "http://[::1]:81/", "http://a/%C3%BC%20x?a=1",
            "http://127.0.0.1/",
            "http://bücher.example/ü", "http://faß.de/", "http://a", "http://b%C3%BCcher.example/", "http://127.1/",
        ] {
            let url = try #require(URL(string: text), "\(text)")
            let uri = try TargetURI(url)
            #expect(try uri == TargetURI(parsing: text))
            let back = try #require(uri.url, "\(text)")
            #expect(try TargetURI(back) == uri)
            #expect(back.absoluteString == uri.string)
        }
    }

    @Test func aRelativeURLIsTakenWithItsBase() throws {
        let base = try #require(URL(string: "http://a/b/c"))
        let url = try #require(URL(string: "../x?y", relativeTo: base))
        #expect(try TargetURI(url).string == "http://a/x?y")
    }

    @Test func aRequestKnowsItsURLOnceThereIsOne() throws {
        let uri = try TargetURI(parsing: "http://Bücher.example/ü?q")
        #expect(Request(.get, uri: uri).url?.absoluteString == "http://xn--bcher-kva.example/%C3%BC?q")
        #expect(Request(.get, "x", encodedQuery: "", headers: [:], body: .empty).url == nil)
        #expect(Request(.get, url: "http://a:0/", encodedQuery: "", headers: [:], body: .empty).url == nil)
    }

    @Test func aURIOfFoundationsHasNoUserinfo() throws {
        let uri = try TargetURI(parsing: "http://me:hunter2@a/x")
        #expect(uri.url?.absoluteString == "http://a/x")
    }

    @Test func aURLThatFoundationReadsOtherwiseIsNone() throws {
        // The text must come back unchanged, or not at all.
        for text in [
            "http://a/%zz", "http://a/x#f f", "http://a/x#\u{301}", "http://a/[x]", "http://a_b/",
            "http://[fe80::1%25lo]/", "http://a!b/",
        ] {
            let uri = try TargetURI(parsing: text)
            guard let url = uri.url else { continue }
            #expect(try TargetURI(url) == uri, "\(text)")
        }
    }
}

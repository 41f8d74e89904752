// PageTests+Messages: what the page shows of messages and connections.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameInspector
import TsubameTesting

extension PageTests {
    private static let detail = "document.getElementById('detail').textContent"

    private func openFirst(_ tab: String, _ page: Page) async throws {
        try await page.press("j")
        try await page.press("Enter")
        try await page.wait(for: "document.querySelector('#detail h2')")
        try await choose(tab, page)
    }

    @Test func `the events of a stream are shown as they come`() async throws {
        try await shown { page, client, _, gate in
            async let text = client.get("ticks").text()
            try await page.wait(for: "document.querySelector('#space .status.good')")
            try await openFirst("Response", page)
            try await page.wait(for: "\(Self.detail).includes('messageone')")
            _ = try await page.value(
                "[...document.querySelectorAll('#detail .body nav button')].find((one) => one.textContent === 'Text').click(), true",
                as: Bool.self)
            gate.open()
            // The call ends, and the choice stays.
            try await page.wait(
                for: "document.querySelector('#detail .body pre')?.textContent.endsWith('data: 燕\\n\\n')")
            #expect(try await text == "data: one\n\ndata: 燕\n\n")
        }
    }

    @Test func `the fields that the engine adds are shown`() async throws {
        try await shown { page, client, _, _ in
            _ = try await client.post("one", body: .bytes(Bytes("four"), contentType: "text/plain"))
            try await page.wait(for: "document.querySelector('#space .status.good')")
            try await openFirst("Request", page)
            let fields = try await page.value(
                "[...document.querySelectorAll('#detail table')[0].rows].map((row) => row.textContent)",
                as: [String].self)
            #expect(
                fields.first?.hasPrefix("host127.0.0.1:") == true || fields.first?.hasPrefix("Host127.0.0.1:") == true)
            #expect(fields.contains { $0.lowercased() == "content-length4" }, "\(fields)")
        }
    }

    @Test func `cipher suite and certificate of a connection are shown`() async throws {
        let identity = TLSIdentity(
            certificatesPEM: TLSIdentity.localhost.certificatesPEM + "\n" + TestCertificates.authorityPEM,
            privateKeyPEM: TLSIdentity.localhost.privateKeyPEM)
        try await shown(tls: identity) { page, client, _, _ in
            _ = try await client.get("one")
            try await page.wait(for: "document.querySelector('#space .status.good')")
            try await openFirst("Overview", page)
            let text = try await page.value(Self.detail, as: String.self)
            #expect(text.contains("CipherTLS_AES_128_GCM_SHA256") || text.contains("CipherTLS_AES_256_GCM_SHA384"))
            #expect(text.contains("TLSTLS 1.3") && text.contains("Nameslocalhost"), "\(text)")
            _ = try await page.value(
                "[...document.querySelectorAll('#detail button')].find((one) => one.textContent === 'Read the chain').click(), true",
                as: Bool.self)
            try await page.wait(
                for:
                    "[...document.querySelectorAll('#detail td')].filter((one) => one.textContent === 'Subject').length === 2"
            )
        }
    }

    @Test func `secrets are shown by a click, and only if the process allows it`() async throws {
        for isAllowed in [false, true] {
            try await shown(showsSecrets: isAllowed) { page, client, _, _ in
                _ = try await client.get("one", headers: [.authorization: "Bearer swallow"])
                try await page.wait(for: "document.querySelector('#space .status.good')")
                try await openFirst("Request", page)
                let button =
                    "[...document.querySelectorAll('#detail nav button')].find((one) => one.textContent.endsWith(' secrets'))"
                #expect(try await page.value("\(Self.detail).includes('swallow')", as: Bool.self) == false)
                #expect(try await page.value("\(button) !== undefined", as: Bool.self) == isAllowed)
                guard isAllowed else { return }
                _ = try await page.value("\(button).click(), true", as: Bool.self)
                try await page.wait(for: "\(Self.detail).includes('Bearer swallow')")
                _ = try await page.value("\(button).click(), true", as: Bool.self)
                try await page.wait(for: "!\(Self.detail).includes('swallow')")
            }
        }
    }

    /// As much text as a million fields of 30 characters; a message has at most 65,534 fields.
    @Test func `the text of a million fields does not hold up the page`() async throws {
        var limits = TrafficLog.Limits()
        limits.total = 2 << 30
        try await shown(limits: limits) { page, client, log, _ in
            var fields = HTTPFields()
            let value = String(repeating: "<b>&", count: 125)
            for _ in 0..<60_000 { fields.append(HTTPField(name: .server, value: value)) }
            let request = Request(.get, url: "http://example.com/fields")
            let response = Response(status: .ok, headers: fields, request: request)
            for kind in [.started(request), .sent(request), .headReceived(response), .finished(response)]
                as [CallEvent.Kind]
            {
                log.add(CallEvent(call: 1_000_000, time: .milliseconds(1), kind: kind))
            }
            try await page.wait(for: "document.querySelector('#space .status.good')")
            try await openFirst("Response", page)
            #expect(try await page.value("document.querySelectorAll('#detail tr').length", as: Int.self) == 1000)
            #expect(try await page.value("\(Self.detail).includes('59000 more fields')", as: Bool.self))
            _ = try await client.get("one")
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 2")
        }
    }
}

// SentHeadTests: the text of a request's head as HTTP/2 sends it, for the tool.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite struct SentHeadTests {
    @Test func `each field has a line, and of the pseudo-fields only the authority`() throws {
        let bytes = try HTTP2SentHead.bytes(
            method: "POST", authority: "a.example", target: "/x?y", headers: [.accept: "*/*", .userAgent: "t"],
            length: 3)
        #expect(
            String(decoding: Array(bytes), as: UTF8.self)
                == "POST /x?y HTTP/2\r\nhost: a.example\r\naccept: */*\r\nuser-agent: t\r\ncontent-length: 3\r\n\r\n")
    }
}

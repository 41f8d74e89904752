// HPACKExampleTests: the examples of RFC 7541 Appendix C: decoded fields, table contents, encoded blocks.

import Testing
import TsubameCore
import TsubameWire

@Suite struct HPACKExampleTests {
    /// One field section of a series that shares a table.
    struct Head: Sendable {
        let block: String
        let fields: [TextField]
        /// The table after the section, newest entry first.
        let table: [TextField]

        init(_ block: String, _ fields: [(String, String)], table: [(String, String)]) {
            self.block = block
            self.fields = fields.map { TextField($0.0, $0.1) }
            self.table = table.map { TextField($0.0, $0.1) }
        }
    }

    // The third example has a prefix of 8 bits, which no field block has.
    @Test("C.1: integers, as size updates have them", arguments: [(10, "0a"), (1337, "1f9a0a")])
    func integers(value: Int, digits: String) throws {
        var block = bytes(digits)
        block[0] |= 0x20
        var decoder = HPACKDecoder()
        #expect(try decoder.fields(of: block).isEmpty)
        #expect(decoder.table.maxSize == value)
        var encoder = HPACKEncoder()
        encoder.setPeerTableSize(value)
        #expect(encoder.block([]) == block)
    }

    @Test("C.2: each representation of a field is decoded, and indexed as it says")
    func representations() throws {
        for (block, field, isIndexed) in [
            ("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", ("custom-key", "custom-header"), true),
            ("040c 2f73 616d 706c 652f 7061 7468", (":path", "/sample/path"), false),
            ("1008 7061 7373 776f 7264 0673 6563 7265 74", ("password", "secret"), false),
            ("82", (":method", "GET"), false),
        ] {
            var decoder = HPACKDecoder()
            let field = TextField(field.0, field.1)
            #expect(try decoder.fields(of: bytes(block)) == [field])
            #expect(decoder.table.text == (isIndexed ? [field] : []))
            #expect(decoder.table.size == (isIndexed ? field.size : 0))
        }
    }

    static let requests: [([(String, String)], table: [(String, String)])] = [
        (
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "www.example.com")],
            [(":authority", "www.example.com")]
        ),
        (
            [
                (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "www.example.com"),
                ("cache-control", "no-cache"),
            ],
            [("cache-control", "no-cache"), (":authority", "www.example.com")]
        ),
        (
            [
                (":method", "GET"), (":scheme", "https"), (":path", "/index.html"), (":authority", "www.example.com"),
                ("custom-key", "custom-value"),
            ],
            [("custom-key", "custom-value"), ("cache-control", "no-cache"), (":authority", "www.example.com")]
        ),
    ]

    @Test("C.3: requests without the Huffman code")
    func plainRequests() throws {
        try decode(
            heads(
                Self.requests,
                [
                    "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
                    "8286 84be 5808 6e6f 2d63 6163 6865",
                    "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
                ]), tableSizes: [57, 110, 164])
    }

    @Test("C.4: requests with the Huffman code, decoded and encoded")
    func requests() throws {
        let heads = heads(
            Self.requests,
            [
                "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
                "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
            ])
        try decode(heads, tableSizes: [57, 110, 164])
        var encoder = HPACKEncoder()
        for head in heads {
            #expect(encoder.block(head.fields) == bytes(head.block))
            #expect(encoder.table.text == head.table)
        }
    }

    private static let cookie = "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
    private static let dates = ["Mon, 21 Oct 2013 20:13:21 GMT", "Mon, 21 Oct 2013 20:13:22 GMT"]

    static let responses: [([(String, String)], table: [(String, String)])] = [
        (
            [
                (":status", "302"), ("cache-control", "private"), ("date", dates[0]),
                ("location", "https://www.example.com"),
            ],
            [
                ("location", "https://www.example.com"), ("date", dates[0]), ("cache-control", "private"),
                (":status", "302"),
            ]
        ),
        (
            [
                (":status", "307"), ("cache-control", "private"), ("date", dates[0]),
                ("location", "https://www.example.com"),
            ],
            [
                (":status", "307"), ("location", "https://www.example.com"), ("date", dates[0]),
                ("cache-control", "private"),
            ]
        ),
        (
            [
                (":status", "200"), ("cache-control", "private"), ("date", dates[1]),
                ("location", "https://www.example.com"), ("content-encoding", "gzip"), ("set-cookie", cookie),
            ],
            [("set-cookie", cookie), ("content-encoding", "gzip"), ("date", dates[1])]
        ),
    ]

    @Test("C.5: responses without the Huffman code, and a table of 256 bytes that forgets")
    func plainResponses() throws {
        try decode(
            heads(
                Self.responses,
                [
                    """
                    4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32
                    3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d
                    """,
                    "4803 3330 37c1 c0bf",
                    """
                    88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970
                    7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61
                    6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31
                    """,
                ]), tableSizes: [222, 222, 215], maxSize: 256)
    }

    @Test("C.6: responses with the Huffman code, decoded and encoded, and a table of 256 bytes that forgets")
    func responses() throws {
        let heads = heads(
            Self.responses,
            [
                """
                4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718
                63c7 8f0b 97c8 e9ae 82ae 43d3
                """,
                "4883 640e ffc1 c0bf",
                """
                88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7
                b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07
                """,
            ])
        try decode(heads, tableSizes: [222, 222, 215], maxSize: 256)
        var encoder = HPACKEncoder(tableSize: 256)
        var begin: [UInt8] = []
        encoder.beginBlock(into: &begin)
        #expect(begin == bytes("3fe101"))
        for head in heads {
            // The example has "307" in the Huffman code, which is no shorter there.
            let block = head.block.replacing("4883 640e ff", with: "4803 3330 37")
            #expect(encoder.block(head.fields) == bytes(block))
            #expect(encoder.table.text == head.table)
        }
    }

    private func heads(_ fields: [([(String, String)], table: [(String, String)])], _ blocks: [String]) -> [Head] {
        zip(fields, blocks).map { Head($1, $0.0, table: $0.table) }
    }

    private func decode(_ heads: [Head], tableSizes: [Int], maxSize: Int = 4096) throws {
        var decoder = HPACKDecoder(tableSize: maxSize)
        for (head, size) in zip(heads, tableSizes) {
            #expect(try decoder.fields(of: bytes(head.block)) == head.fields)
            #expect(decoder.table.text == head.table)
            #expect(decoder.table.size == size)
        }
    }
}

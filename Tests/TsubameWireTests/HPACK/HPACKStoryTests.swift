// HPACKStoryTests: the stories of http2jp's hpack-test-case: real heads of another implementation, connection by
// connection.

import Foundation
import Testing
import TsubameCore
import TsubameWire

@Suite struct HPACKStoryTests {
    /// The files beside the repository, if they exist.
    private static let files: [URL] = {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let folder = root.deletingLastPathComponent().appending(path: "shared/conformance/cases/hpack")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { $0.pathExtension == "json" }
            .sorted { $0.path() < $1.path() }
    }()

    private struct Story: Decodable {
        struct Head: Decodable {
            let wire: String
            let headers: [[String: String]]
            /// The table size that the receiver announced before this block.
            let header_table_size: Int?

            var fields: [TextField] { headers.flatMap { $0.map { TextField($0.key, $0.value) } } }
        }

        let cases: [Head]
    }

    @Test(
        "Each block is read as its fields, and our own block of them too",
        .enabled(if: !files.isEmpty, "the stories are not there: none of them was read"), arguments: files)
    func stories(file: URL) throws {
        let story = try JSONDecoder().decode(Story.self, from: Data(contentsOf: file))
        try #require(!story.cases.isEmpty)
        var decoder = HPACKDecoder()
        var encoder = HPACKEncoder()
        var second = HPACKDecoder()
        for head in story.cases {
            let fields = head.fields
            if let size = head.header_table_size { encoder.setPeerTableSize(size) }
            #expect(try decoder.fields(of: bytes(head.wire)) == fields)
            #expect(try second.fields(of: encoder.block(fields)) == fields)
            if let size = head.header_table_size {
                #expect(decoder.table.maxSize == size)
                #expect(second.table.maxSize == size)
            }
        }
        #expect(second.table.text == encoder.table.text)
    }
}

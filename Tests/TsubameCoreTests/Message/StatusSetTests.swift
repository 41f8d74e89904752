// StatusSetTests: sets of status codes by ranges and numbers.

import HTTPTypes
import Testing
import TsubameCore

@Suite struct StatusSetTests {
    struct Row: Sendable {
        let set: StatusSet
        let inside: [Int]
        let outside: [Int]
    }

    private static let rows: [Row] = [
        Row(set: .successful, inside: [200, 299], outside: [199, 300]),
        Row(set: [200, 404], inside: [200, 404], outside: [201, 403]),
        Row(set: 404, inside: [404], outside: [405]),
        Row(set: StatusSet(200...204, 404...404), inside: [200, 204, 404], outside: [205, 403]),
        Row(set: .successful.union(404), inside: [250, 404], outside: [403]),
        Row(set: .successful.union(400...409), inside: [400, 409], outside: [410]),
        Row(set: .successful.union([301, 302]), inside: [200, 301, 302], outside: [303]),
        Row(set: .all, inside: [0, 999], outside: [1_000]),
    ]

    @Test func `sets with the same codes are equal`() {
        #expect([404, 200] as StatusSet == [200, 404] && [200, 201] as StatusSet == StatusSet(200...201))
        #expect(Set([[404, 200], [200, 404]] as [StatusSet]).count == 1)
        #expect(StatusSet(200...299) != StatusSet(200...298) && [200] as StatusSet != [])
    }

    @Test(arguments: rows.indices)
    func `a set has what its parts have`(_ index: Int) {
        let row = Self.rows[index]
        for code in row.inside { #expect(row.set.contains(code)) }
        for code in row.outside { #expect(!row.set.contains(code)) }
        #expect(row.set.contains(.ok) == row.set.contains(200))
    }
}

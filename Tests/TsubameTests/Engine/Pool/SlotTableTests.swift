// SlotTableTests: identifiers of a slot table are never taken for another element's.

import Testing

@testable import TsubameEngine

@Suite struct SlotTableTests {
    @Test func `the identifier of a removed element finds nothing, although its place is used again`() {
        var table = SlotTable<String>()
        let first = table.insert("first")
        let other = table.insert("other")
        #expect(table.remove(first) == "first")
        let second = table.insert("second")
        #expect(second.index == first.index && second != first)
        #expect(table[first] == nil && table.remove(first) == nil)
        table[first] = "late"
        #expect(table[second] == "second" && table[other] == "other")
        #expect(table.count == 2 && Set(table.ids) == [second, other])
    }

    @Test func `a removed element is not brought back by a change`() {
        var table = SlotTable<Int>()
        let id = table.insert(1)
        table[id] = 2
        #expect(table[id] == 2)
        table[id] = nil
        #expect(table[id] == 2)
        table.remove(id)
        table[id] = 3
        #expect(table[id] == nil && table.isEmpty)
    }
}

// What a record's blocks refer to and what it is sorted under exists as long as it is named: checked and locked before it is written, asked before it goes.

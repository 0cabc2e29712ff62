--  Values of Ada's types, for expressions.
package Shapes is
   type Color is (Red, Green, Blue);
   type Point is record
      X : Integer;
      Y : Long_Float;
   end record;
   type Sizes is array (1 .. 3) of Integer;
   type Table is array (2 .. 4) of Short_Integer;
   type By_Color is array (Color) of Integer;
   type Matrix is array (1 .. 2, 0 .. 2) of Integer;
   type Flags is array (1 .. 8) of Boolean;
   pragma Pack (Flags);
   type Byte is mod 256;
   type Percent is range 0 .. 100;
   type Money is delta 0.01 digits 10;
   type Variable (Length : Natural) is record
      Text : String (1 .. Length);
   end record;
   type Either (Kind : Boolean := True) is record
      case Kind is
         when True => Whole : Integer;
         when False => Part : Float;
      end case;
   end record;
   type Box;
   type Box_Access is access all Box;
   type Box is record
      Corner : Point;
      Dimensions : Sizes;
      Label : String (1 .. 5);
      Filled : Boolean;
      Shade : Color;
      Next : Box_Access;
   end record;
   Counter : Integer := 3;
   Ratio : Float := 0.5;
   Grid : Matrix := ((1, 2, 3), (4, 5, 6));
   Offsets : Table := (7, 8, 9);
   Shades : By_Color := (10, 20, 30);
   Wide : Long_Long_Integer := 5_000_000_000;
   First : aliased Box;
   type Counts is array (Positive range <>) of Integer;
   Many : Counts (1 .. 300) := (others => 5);
   Ten : Counts (1 .. 10) := (others => 1);
   Eleven : Counts (1 .. 11) := (others => 1);
   Long : Counts (1 .. 250);
   Run : String (1 .. 30) := "ab""" & (4 .. 30 => 'x');
   Odd : String (1 .. 4) := ('a', Character'Val (0), Character'Val (10), Character'Val (255));
   type By_Shade is array (Green .. Blue) of Integer;
   Late : By_Shade := (1, 2);
   type By_Fact is array (Boolean) of Integer;
   Facts : By_Fact := (3, 4);
   type Spots is array (1 .. 12) of Point;
   All_Same : Spots := (others => (1, 1.0));
   Infinite : Long_Float := 1.0E308;
   Undefined : Long_Float := 0.0;
   type Shade_Letter is ('a', 'B', Word);
   Letter_Of : Shade_Letter := 'B';
   procedure Leaf (N : Integer; B : in out Box; P : Box_Access; Text : String; List : Sizes);
end Shapes;
